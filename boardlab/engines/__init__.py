"""Other ecosystems: programs that play games and speak a protocol of their own."""
