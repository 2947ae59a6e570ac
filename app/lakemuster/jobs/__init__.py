"""Background jobs: what the service does without being asked.

A job is a class that ``registry`` lists. Every worker of every replica has a ``supervisor``, which competes for the
leases of all jobs; the ``runner`` of a job that it holds starts the runs, one after the other. So each job runs in one
place at a time, and when that process ends, another one takes the job.
"""
