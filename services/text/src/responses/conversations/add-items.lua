--[[ Appends items to a conversation, all or none of them. Requires indexed.lua and
     count-conversation.lua.
  head: hash with the conversation's metadata and the sizes of all its items:
    secret: id of the secret that encrypted the metadata and all records
    bytes: of records and ids   indexed: value of bytes when ids was last complete
    textBytes, values, members: after decompression
    full: a limit that a turn exceeded, its value, and bytes at that time; isFull in conversation-limits.ts reads it
  list: records (compressed items)   ids: their ids, in the same order
  contentSizes, contentExpiries: see content.lua
  secret: id of the secret that encrypted the new items
  isTurn: the items are an answered turn
  items: id, record, id, record …   textBytes, values, members: total of the new items after decompression ]]
if redis.call('EXISTS', head) == 0 then return {'absent'} end
-- A record of another secret must not live longer, because this secret may be removed.
if redis.call('HGET', head, 'secret') ~= secret or not isIndexed(head, list, ids) then return {'outdated'} end
local known, taken, bytes = {}, {}, 0
for _, id in ipairs(redis.call('LRANGE', ids, 0, -1)) do known[id] = true end
for at = 1, #items, 2 do
  if known[items[at]] then taken[#taken + 1] = items[at] end
  bytes = bytes + #items[at] + #items[at + 1]
end
if #taken > 0 then return {'taken', ids = taken} end
local function total(field, added)
  return tonumber(redis.call('HGET', head, field) or '0') + added
end
local function full(bound, limit)
  if isTurn then redis.call('HSET', head, 'full', table.concat({bound, limit, total('bytes', 0)}, ' ')) end
  return {'full', bound = bound}
end
if redis.call('LLEN', list) + #items / 2 > maxItems then return full('items', maxItems) end
if total('bytes', bytes) > maxBytes then return full('bytes', maxBytes) end
if total('textBytes', textBytes) > maxTextBytes then return full('textBytes', maxTextBytes) end
if total('values', values) > maxValues then return full('values', maxValues) end
if total('members', members) > maxMembers then return full('members', maxMembers) end
local limits = {maxBytes = maxContentBytes, maxRecords = maxContentRecords}
local change = {record = list, bytes = total('bytes', bytes), lifetimeMs = lifetimeMs, limits = limits}
if not countContent(contentSizes, contentExpiries, change) then return {'over-limit'} end
for at = 1, #items, 2 do
  redis.call('RPUSH', ids, items[at])
  redis.call('RPUSH', list, items[at + 1])
end
redis.call('HSET', head, 'indexed', redis.call('HINCRBY', head, 'bytes', bytes))
redis.call('HINCRBY', head, 'textBytes', textBytes)
redis.call('HINCRBY', head, 'values', values)
redis.call('HINCRBY', head, 'members', members)
for _, key in ipairs({head, list, ids}) do redis.call('PEXPIRE', key, lifetimeMs) end
countConversation(head, list, contentSizes, contentExpiries)
return {'added'}
