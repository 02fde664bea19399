"""Read data on whole applications and projects: overview, start page, news, search."""
