"""Write rules of the gate, badges, frozen reports, and links to reports."""
