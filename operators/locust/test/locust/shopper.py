"""A user for tests: two routes that work, and one that fails where FAILING is set. With --web-login nobody gets in."""

import os

from locust import HttpUser, constant, events, task


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


@events.init.add_listener
def protect(environment, **_):
    if environment.web_ui and environment.web_ui.web_login:
        environment.web_ui.app.secret_key = "for tests"
        environment.web_ui.login_manager.user_loader(lambda _user: None)
