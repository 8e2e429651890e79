"""Ranking by vectors."""
