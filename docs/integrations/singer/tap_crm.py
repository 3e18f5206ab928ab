#!/usr/bin/env python3
"""A Singer tap: accounts, contacts, opportunities and notes with every custom field, and the change log.

    pip install .
    tap-crm --config config.json [--state state.json]       config: {"read_url": "https://…", "api_key": "…"}

The first run of a stream reads its list. Later runs read only the changes after the stored position. A deleted record
comes as a record with `_sdc_deleted_at`, which targets with `hard_delete` remove. If the changes after the position
have expired, or the log is another one, the tap stops: empty the tables and run without the state (in Meltano with
--full-refresh). The key needs the group `list`.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any, Iterable

import requests
from singer_sdk import Stream, Tap
from singer_sdk import typing as th
from singer_sdk.exceptions import FatalAPIError

OBJECTS = {"account": "accounts", "contact": "contacts", "opportunity": "opportunities", "note": "notes"}

# Values of other records. Events do not have them: join the tables instead.
OF_OTHER_RECORDS = {
    "account": [],
    "contact": ["account_domain", "account_external_id"],
    "opportunity": [
        "stage_name", "owner_email", "account_domain", "account_external_id", "account_name", "contact_email",
        "contact_external_id", "contact_first_name", "contact_last_name", "pipeline_name", "additional_contacts",
        "outcome", "stage_entered_at", "closed_at", "probability", "weighted_amount", "seconds_in_stage", "days_to_close",
    ],
    "note": ["account_domains", "contact_emails"],
}  # fmt: skip


EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def instant(milliseconds: int | None) -> str | None:
    if milliseconds is None:
        return None
    at = EPOCH + timedelta(milliseconds=milliseconds)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def column(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a column: milliseconds become instants, and every column may be null, as in a deleted record."""
    if schema.get("x-attribute-type") == "timestamp":
        return {"type": ["string", "null"], "format": "date-time"}
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    kept = {name: schema[name] for name in ("format", "items", "properties") if name in schema}
    return {**kept, "type": [*(each for each in types if each != "null"), "null"]}


class Api:
    """Requests to the read gateway. 429 and 503 are repeated, with Retry-After."""

    def __init__(self, config: Any) -> None:
        retry = requests.adapters.Retry(total=12, status_forcelist=[429, 502, 503, 504], backoff_factor=1)
        self.session = requests.Session()
        self.session.mount(config["read_url"], requests.adapters.HTTPAdapter(max_retries=retry))
        self.session.headers["x-api-key"] = config["api_key"]
        self.url = config["read_url"].rstrip("/")

    def get(self, path: str, headers: dict[str, str] | None = None, **params: Any) -> tuple[dict[str, Any], Any]:
        response = self.session.get(f"{self.url}{path}", params=params, headers=headers, timeout=60)
        if response.status_code == 410:
            raise FatalAPIError(f"{response.json()['message']}. Empty the tables and run with --full-refresh")
        response.raise_for_status()
        return response.json()["data"], response.headers


class Records(Stream):
    """The records of one object. `_position` is the number of the last change that a row includes."""

    primary_keys = ("id",)
    replication_key = "_position"

    def __init__(self, tap: TapCrm, object_name: str) -> None:
        self.object_name = object_name
        self.plural = OBJECTS[object_name]
        self.crm_tap = tap
        self.api = tap.api
        self.page_size = tap.config["page_size"]
        before = tap.bookmarks.get(self.plural, {})
        # The first changes are read before the schema. If there are none, the schema in the state is current enough.
        self.first = self.changes(before["position"], before["log_id"]) if "position" in before else None
        if self.first is not None and not self.first["events"] and before.get("schema"):
            properties = before["schema"]
        else:
            properties = self.read_properties()
        self.properties = properties
        others = (*OF_OTHER_RECORDS[object_name], "custom_fields")
        self.system = {name: value for name, value in properties.items() if name not in others}
        self.custom = properties.get("custom_fields", {}).get("properties", {})
        self.unknown: set[str] = set()
        columns = {name: column(value) for name, value in self.system.items()}
        if object_name == "opportunity":
            columns["additional_contact_ids"] = {"type": ["array", "null"], "items": {"type": "string"}}
        columns |= {f"custom__{slug}": column(value) for slug, value in self.custom.items()}
        columns["_position"] = {"type": "integer"}
        columns["_sdc_deleted_at"] = {"type": ["string", "null"], "format": "date-time"}
        super().__init__(tap, name=self.plural, schema={"type": "object", "properties": columns, "required": ["id"]})

    def read_properties(self) -> dict[str, Any]:
        return self.api.get(f"/v1/{self.plural}/schema")[0]["schema"]["properties"]

    def changes(self, position: int, log_id: str) -> dict[str, Any]:
        after = {"after": f"{log_id}:{position}", "object": self.object_name, "limit": self.page_size}
        data, _ = self.api.get("/v1/events", **after)
        # Position 0 is never 410: it means the oldest change that the log still has.
        if position == 0 and data["oldest_position"] > 1:
            raise FatalAPIError("The first changes have expired. Empty the tables and run with --full-refresh")
        return data

    def row(self, record: dict[str, Any], position: int) -> dict[str, Any]:
        def value(schema: dict[str, Any], found: Any) -> Any:
            return instant(found) if schema.get("x-attribute-type") == "timestamp" else found

        values = record.get("custom_fields", {})
        self.unknown |= values.keys() - self.custom.keys()
        row = {name: value(schema, record.get(name)) for name, schema in self.system.items()}
        row |= {f"custom__{slug}": value(schema, values.get(slug)) for slug, schema in self.custom.items()}
        if self.object_name == "opportunity":
            listed = [each["contact_id"] for each in record.get("additional_contacts", [])]
            row["additional_contact_ids"] = record.get("additional_contact_ids", listed)
        return {**row, "_position": position, "_sdc_deleted_at": None}

    def list_records(self, position: int, read_after: str) -> Iterable[dict[str, Any]]:
        params: dict[str, Any] = {"limit": self.page_size}
        if self.object_name != "note":
            hidden = [f"custom__{slug}" for slug, schema in self.custom.items() if schema.get("x-hidden")]
            params["fields"] = ",".join([*self.system, "custom_fields", *hidden])
        if self.object_name == "opportunity":
            params["pipeline_id"] = "all"
        while True:
            data, _ = self.api.get(f"/v1/{self.plural}", {"x-read-after": read_after}, **params)
            for record in data[self.plural]:
                yield self.row(record, position)
            if not data["has_more"]:
                return
            params["cursor"] = data["next_cursor"]

    def get_records(self, context: Any) -> Iterable[dict[str, Any]]:
        state = self.get_context_state(context)
        slugs = sorted(self.custom)
        position, log_id = state.get("position"), state.get("log_id")
        # A field that is new, or was archived and is back, may have values without a change after the position.
        if position is None or not state.get("is_listed") or not set(slugs) <= set(state.get("fields", [])):
            latest, headers = self.api.get("/v1/events/latest")
            if position is None:
                position, log_id = latest["position"], latest["log_id"]
                # Known before the list is read: if this run is interrupted, the next one gets the deletions since then.
                state.update(position=position, log_id=log_id, is_listed=False)
                self.crm_tap.state_writer.write_state(self.crm_tap.state)
            yield from self.list_records(latest["position"], headers["x-read-after"])
            # The list has changes that came after those that were read first.
            self.first = None
        data = self.first or self.changes(position, log_id)
        while True:
            for event in data["events"]:
                if event["record"] is not None:
                    yield self.row(event["record"], event["position"])
                else:
                    deleted = {"_position": event["position"], "_sdc_deleted_at": event["occurred_at"]}
                    yield {"id": event["record_id"], **deleted}
            position = data["next_position"]
            if not data["has_more"]:
                break
            data = self.changes(position, log_id)
        # A field of a record that the schema does not have is archived, or new: then the next run reads the list again.
        is_new = self.unknown and self.unknown & self.read_properties()["custom_fields"]["properties"].keys()
        # Stored only here: a stream that was interrupted begins again where it began.
        schema = None if is_new else self.properties
        state.update(position=position, log_id=log_id, is_listed=True, fields=slugs, schema=schema)


class TapCrm(Tap):
    """The tap."""

    name = "tap-crm"
    config_jsonschema = th.PropertiesList(
        th.Property("read_url", th.StringType, required=True, description="Address of the read gateway"),
        th.Property("api_key", th.StringType, required=True, secret=True, description="API key that allows list"),
        th.Property("page_size", th.IntegerType, default=500, description="Records in a page, 1 to 500"),
    ).to_dict()

    def __init__(self, *, state: dict[str, Any] | None = None, **more: Any) -> None:
        # The streams are made before the SDK has the state.
        self.bookmarks = state.get("bookmarks", {}) if isinstance(state, dict) else {}
        super().__init__(state=state, **more)

    @property
    def api(self) -> Api:
        return Api(self.config)

    def discover_streams(self) -> list[Stream]:
        return [Records(self, object_name) for object_name in OBJECTS]


if __name__ == "__main__":
    TapCrm.cli()
