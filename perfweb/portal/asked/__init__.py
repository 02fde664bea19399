"""What a request asks for: who reads, which application, campaign, version and target, and where they may go.

It is read from the address and refused where the reader may not see it; what the page then shows is put
together in other rooms.
"""
