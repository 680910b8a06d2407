--[[ Stores the bytes of a conversation's metadata and items in the sizes of the account's content, until the
     conversation expires. Requires content.lua. Each script that changes a conversation calls this function last. ]]
local function countConversation(head, list, contentSizes, contentExpiries)
  local lifetimeMs = redis.call('PTTL', head)
  local bytes = tonumber(redis.call('HGET', head, 'bytes') or '0')
  local metadataBytes = redis.call('HSTRLEN', head, 'metadata')
  countContent(contentSizes, contentExpiries, {record = head, bytes = metadataBytes, lifetimeMs = lifetimeMs})
  countContent(contentSizes, contentExpiries, {record = list, bytes = bytes, lifetimeMs = lifetimeMs})
end
