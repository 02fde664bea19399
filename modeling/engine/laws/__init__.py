"""Laws: terms, their growth, and formulas for people, LaTeX and Python."""
