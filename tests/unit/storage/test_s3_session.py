from __future__ import annotations

import json

import pytest
import s3fs  # noqa: F401 - aiobotocore 2.24 cannot be imported by its module httpsession
from botocore.exceptions import ProfileNotFound
from botocore.loaders import JSONFileLoader

from lakemuster.storage import s3_session


def resolver(profile: str | None = None):
    return s3_session.new_session(profile).get_component("endpoint_resolver")


def test_sessions_parse_the_models_of_services_once(monkeypatch):
    resolver()
    monkeypatch.setattr(JSONFileLoader, "load_file", lambda *_: pytest.fail("parsed again"))
    assert resolver().construct_endpoint("s3", "eu-west-3")["hostname"] == "s3.eu-west-3.amazonaws.com"


def test_models_of_another_folder_are_read_from_there(tmp_path, monkeypatch):
    (tmp_path / "endpoints.json").write_text(json.dumps({"version": 3, "partitions": []}))
    monkeypatch.setenv("AWS_DATA_PATH", str(tmp_path))
    assert resolver().get_available_partitions() == []
    monkeypatch.delenv("AWS_DATA_PATH")
    assert "aws" in resolver().get_available_partitions()


def test_a_missing_profile_is_an_error_of_the_client_not_of_the_session(tmp_path, monkeypatch):
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    session = s3_session.new_session("missing")
    with pytest.raises(ProfileNotFound):
        session.get_scoped_config()
