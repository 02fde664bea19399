"""Who is told of changes: e-mail, webhooks, and the feed's keys.

It knows alerts and no page; what a notice shows on a page is in `perfweb.portal`.
"""
