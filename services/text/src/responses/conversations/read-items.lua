--[[ Reads one item of a conversation, or at most `limit` of the items that follow the item `after`. Requires
     indexed.lua.
  Keys as in add-items.lua.   onlyId: id of the one item   newestFirst: order of `after`, `limit` and the result
  Returns id, record, id, record … in that order. ]]
if redis.call('EXISTS', head) == 0 then return {'absent'} end
if not isIndexed(head, list, ids) then return {'outdated'} end
local count = redis.call('LLEN', ids)
local startId = onlyId or after
local position = startId and redis.call('LPOS', ids, startId)
if startId and not position then return {'unknown'} end
local first, last
if onlyId then
  first, last = position, position
elseif newestFirst then
  last = (position or count) - 1
  first = math.max(0, last - limit + 1)
else
  first = (position or -1) + 1
  last = math.min(count, first + limit) - 1
end
local items = {}
if first <= last then
  local itemIds = redis.call('LRANGE', ids, first, last)
  local records = redis.call('LRANGE', list, first, last)
  for each = 1, #itemIds do
    local at = newestFirst and #itemIds + 1 - each or each
    items[#items + 1] = itemIds[at]
    items[#items + 1] = records[at]
  end
end
local hasMore = last < count - 1
if newestFirst then hasMore = first > 0 end
return {'items', hasMore = hasMore, items = items}
