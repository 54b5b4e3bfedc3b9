"""What helps TCP on the way: routers, links and proxies that the papers name."""
