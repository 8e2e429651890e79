"""Ranking by words."""
