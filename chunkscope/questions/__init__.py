"""What is asked, and whether its evidence stands in the documents."""
