"""Write rules of the gate, badges, frozen reports, and links to reports.

The verdict of the gate and the content of reports are computed in `modeling.selectors`.
"""
