"""Formats of Extra-P, which describe whole campaigns: experiments, JSON, JSON Lines, text, and Talpas."""
