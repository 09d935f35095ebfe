"""Scores, statistics, plots and reports on the files that hlg record, kl, harm and sweep write.

The curve itself is nowhere in here: what it does to a distribution is in those files.
Equal files in give equal bytes out.
"""
