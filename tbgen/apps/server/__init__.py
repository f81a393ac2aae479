"""The server: HTTP only, and behind a proxy when it is public.

`run` starts `application`, which has the routes and the answers to what fails. The routes are in
`questions`, which ask `answers`, and in `files`. All of them share the `service`: tables, `limits`,
a `queue` for long answers, and `metrics`. `parameters` reads a request, and `replies` makes the
response. `names` and `deadline` stand around the application; `addresses` is for the command.
"""
