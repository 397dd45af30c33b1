"""A migration in another language, with nothing but `requests`: files are opened and handed over, without a type.
Prints one JSON object: what each request was answered."""
import json
import sys

import requests

base, organisation, key, png, plan, bot, channel = sys.argv[1:]
session = requests.Session()
session.headers.update({"Authorization": "Bearer " + key, "Service-Id": organisation, "Accept": "application/json"})
answers = {}


def send(name, method, path, data=None, files=None):
    reply = session.request(method, base + path, data=data, files=files, timeout=60)
    answers[name] = {**reply.json(), "status": reply.status_code}


def opened(path):
    return open(path, "rb")


send("update", "POST", "/v1/updates", {"text": "Moved"}, {"gallery[0]": opened(png), "attachments[0]": opened(plan)})
send("bytes", "POST", "/v1/updates", {"text": "Moved"}, {"gallery[0]": opened(png).read()})
send("no name", "POST", "/v1/updates", {"text": "Moved"}, {"gallery[0]": (None, opened(png), "application/octet-stream")})
send("wrong type", "POST", "/v1/updates", {"text": "Moved"}, {"gallery[0]": ("a.jpg", opened(png), "image/jpeg")})
send("kudos", "POST", "/v1/kudos", {"text": "Thanks", "recipients[users][]": 2}, {"gallery[0]": opened(png)})
send("article", "POST", "/v1/articles", {"title": "Moved", "html_content": ""}, {"cover_image": opened(png)})
event = {"title": "Moved", "starts_at": "2030-01-01T10:00:00Z", "ends_at": "2030-01-01T11:00:00Z"}
send("event", "POST", "/v1/events", event, {"cover_image": opened(png)})
send("document", "POST", "/v1/documents", {"label": "Plan", "location_id": 1}, {"document": opened(plan)})
send("photo", "PUT", "/v1/users/2/profile-photo", None, {"image": opened(png)})
avatar = session.get(base + "/v1/users/4").json()["data"]["avatar_url"]
picture = requests.get(base + "/avatars/" + avatar.partition("/avatars/")[2])
send("generated photo", "PUT", "/v1/users/4/profile-photo", None, {"image": ("avatar", picture.content)})
message = {"bot_userid": bot, "channel_url": channel, "type": "image"}
send("message", "POST", "/v1/chat/bots/message", message, {"image": opened(png)})
send("empty", "POST", "/v1/updates", {"text": "Moved"}, {"gallery[0]": ("a.png", b"")})
send("too large", "PUT", "/v1/users/2/profile-photo", None, {"image": ("a.png", bytes(20_000_000))})
send("no files here", "POST", "/v1/spaces/1/archive", None, {"image": ("a.png", bytes(10_000_000))})
session.headers["Authorization"] = "Bearer unknown"
send("no credential", "POST", "/v1/updates", {"text": "Moved"}, {"gallery[0]": ("a.png", bytes(5_000_000))})
print(json.dumps(answers))
