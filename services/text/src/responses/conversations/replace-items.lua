--[[ Replaces the metadata and the items of a conversation, and stores the ids and sizes of the items. Requires
     from-hex.lua. Keys as in add-items.lua.
  before: chained SHA-1 of the metadata and the records when they were read
  metadata: encrypted, in hexadecimal
  secret: id of the secret that encrypted metadata and items   items: id, record, id, record …
  textBytes, values, members: decompressed sizes of all items
  Returns the increase of bytes, or `changed` if metadata or items were changed since they were read. ]]
local found = ''
local function chain(part) found = redis.sha1hex(found .. redis.sha1hex(part)) end
chain(redis.call('HGET', head, 'metadata') or '')
for _, record in ipairs(redis.call('LRANGE', list, 0, -1)) do chain(record) end
if redis.call('EXISTS', head) == 0 or found ~= before then return {'changed'} end
local bytes, leftMs = redis.call('HGET', head, 'bytes') or '0', redis.call('PTTL', head)
local total = 0
redis.call('DEL', list, ids)
for at = 1, #items, 2 do
  redis.call('RPUSH', ids, items[at])
  redis.call('RPUSH', list, items[at + 1])
  total = total + #items[at] + #items[at + 1]
end
redis.call('HSET', head, 'metadata', fromHex(metadata), 'secret', secret, 'bytes', total, 'indexed', total,
  'textBytes', textBytes, 'values', values, 'members', members)
if leftMs > 0 then
  for _, key in ipairs({list, ids}) do redis.call('PEXPIRE', key, leftMs) end
end
return {'replaced', grownBy = total - tonumber(bytes)}
