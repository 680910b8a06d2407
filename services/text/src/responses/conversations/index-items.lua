--[[ Stores the ids and the sizes of a conversation's items. Keys as in add-items.lua.
  before: value of bytes when the items were read   textBytes, values, members: decompressed sizes of all items
  items: id, record, id, record …; an empty record leaves the stored one unchanged
  Returns the increase of bytes, or `changed` if items were added or removed since they were read. ]]
local bytes = redis.call('HGET', head, 'bytes') or ''
if redis.call('EXISTS', head) == 0 then return {'changed'} end
if bytes ~= (before or '') or redis.call('LLEN', list) ~= #items / 2 then return {'changed'} end
redis.call('DEL', ids)
local total = 0
for at = 1, #items, 2 do
  local id, record = items[at], items[at + 1]
  redis.call('RPUSH', ids, id)
  if record ~= '' then redis.call('LSET', list, (at - 1) / 2, record) end
  total = total + #id
end
for _, record in ipairs(redis.call('LRANGE', list, 0, -1)) do total = total + #record end
redis.call('HSET', head, 'bytes', total, 'indexed', total, 'textBytes', textBytes, 'values', values, 'members', members)
local leftMs = redis.call('PTTL', list)
if leftMs > 0 then redis.call('PEXPIRE', ids, leftMs) end
return {'indexed', grownBy = total - tonumber(bytes == '' and '0' or bytes)}
