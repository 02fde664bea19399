"""Plans are kept and given up here. What to propose, and how far a plan is, is read in
`modeling.selectors.plans`."""
