--[[ Returns a text that changes with the metadata and the items of a conversation. No encryption gives the same text
     twice. Items are only appended or removed: if the number and the last record are equal, none was removed.
     The end of a record suffices, because a record can have megabytes. ]]
local function stateOf(head, list)
  local metadata, last = redis.call('HGET', head, 'metadata') or '', redis.call('LINDEX', list, -1) or ''
  return redis.sha1hex(metadata) .. redis.call('LLEN', list) .. '.' .. string.sub(last, -64)
end
