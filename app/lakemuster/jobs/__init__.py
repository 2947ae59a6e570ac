"""Background jobs: periodic work of the service, independent of requests.

A job is a class that ``registry`` lists. Every worker of every replica has a ``supervisor``, which competes for the
leases of all jobs. For each lease that it holds, a ``runner`` starts the runs, one after the other. So each job runs in
one process at a time, and when that process ends, another one takes over the job.
"""
