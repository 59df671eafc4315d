"""A user for tests: two routes that work, and one that fails where FAILING is set."""

import os

from locust import HttpUser, constant, task


class Shopper(HttpUser):
    wait_time = constant(0.1)

    @task
    def ok(self):
        self.client.get("/ok")

    @task
    def slow(self):
        self.client.get("/slow")

    if os.environ.get("FAILING"):

        @task
        def fail(self):
            self.client.get("/fail")
