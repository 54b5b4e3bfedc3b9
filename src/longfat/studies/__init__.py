"""What goes across papers: senders, routers and proxies, transfers, engines and their faults."""
