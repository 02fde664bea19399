"""Plans of further measurements: the user's question, the proposed plan, and a kept plan's progress."""
