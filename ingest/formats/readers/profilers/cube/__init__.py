"""Reads the profiles of Score-P and Scalasca; `reading` makes a campaign of them."""
