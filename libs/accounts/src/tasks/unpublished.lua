-- Returns the ids of a task's entries that are still in the outbox, and a list with the id and JSON of each.
local function unpublished(task, outbox)
  local entries, events = {}, {}
  for id in string.gmatch(redis.call('HGET', task, 'entries') or '', '%S+') do
    local entry = redis.call('XRANGE', outbox, id, id)[1]
    if entry then
      entries[#entries + 1] = id
      events[#events + 1] = id
      events[#events + 1] = entry[2][2]
    end
  end
  return entries, events
end
