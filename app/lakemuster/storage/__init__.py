"""Object storage behind allowed roots: read, list, stat; locations; rewrites. Foreign errors become ours here."""
