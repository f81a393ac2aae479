"""Events: who stands where, and why, in words and on pages.

`event` finds the events of some games. `players` sums their points, and `standings` ranks them by
the functions of `criteria` and `tiebreaks`; `knockout` has the bracket. The shell and the pages say
the same of them: `told`, `ties`, `tables`, `endings` and `doubts`. `pages` alone knows templates.
"""
