--[[ Counts the stored metadata and items of a conversation, until it expires. Requires content.lua. Each script that
     changes a conversation calls it last. ]]
local function countConversation(head, list, contentSizes, contentExpiries)
  local lifetimeMs = redis.call('PTTL', head)
  local bytes = tonumber(redis.call('HGET', head, 'bytes') or '0')
  local metadataBytes = redis.call('HSTRLEN', head, 'metadata')
  countContent(contentSizes, contentExpiries, {record = head, bytes = metadataBytes, lifetimeMs = lifetimeMs})
  countContent(contentSizes, contentExpiries, {record = list, bytes = bytes, lifetimeMs = lifetimeMs})
end
