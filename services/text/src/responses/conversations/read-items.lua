--[[ Reads one item of a conversation, or at most `limit` of those behind the item `after` (indexed.lua comes before this).
  Keys as in add-items.lua.   only: the id of the one item   newestFirst: the order that `after` and `limit` count in
  Returns id, record, id, record … in that order. ]]
if redis.call('EXISTS', head) == 0 then return {'absent'} end
if not isIndexed(head, list, ids) then return {'unindexed'} end
local count = redis.call('LLEN', ids)
local named = only or after
local place = named and redis.call('LPOS', ids, named)
if named and not place then return {'unknown'} end
local first, last
if only then
  first, last = place, place
elseif newestFirst then
  last = (place or count) - 1
  first = math.max(0, last - limit + 1)
else
  first = (place or -1) + 1
  last = math.min(count, first + limit) - 1
end
local items = {}
if first <= last then
  local names = redis.call('LRANGE', ids, first, last)
  local records = redis.call('LRANGE', list, first, last)
  for each = 1, #names do
    local at = newestFirst and #names + 1 - each or each
    items[#items + 1] = names[at]
    items[#items + 1] = records[at]
  end
end
local hasMore = last < count - 1
if newestFirst then hasMore = first > 0 end
return {'items', hasMore = hasMore, items = items}
