// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Study
import SystemKit

/// Tells `DamageScan` and `Salvage` whether a stored request is still the one that was queued: by its digest under
/// the store's secret (see `OutboxDraft.item`).
struct RequestCheck {
    private let secret: [UInt8]
    private let own: BodyEncryption?

    /// Nil where the digests of older requests are of a secret that was erased or lost: then they
    /// cannot be checked. Encrypted bodies are checked where `own`, or the connection's key, opens them.
    init?(_ connection: Connection, opening own: BodyEncryption? = nil) throws {
        self.own = own ?? connection.encryption
        guard try !connection.hasRow("SELECT 1 FROM event WHERE kind = 'erased' LIMIT 1"),
            try !EventLog.salvages(connection).contains(where: \.isSecretLost)
        else { return nil }
        secret = try connection.first("SELECT bytes FROM secret WHERE name = 'items'") { try $0.bytes(0) } ?? []
    }

    /// True where a row of the table `request` (digest, method, url, headers, body) certainly differs from
    /// what was queued; false where it agrees, or its key is not here.
    func refutes(_ row: [DatabaseValue]) -> Bool {
        guard row.count >= 5, case .text(let digest) = row[0], case .text(let method) = row[1],
            case .text(let url) = row[2],
            case .text(let text) = row[3], case .blob(let body) = row[4],
            let pairs = try? StoredJSON.value([[String]].self, from: text), pairs.allSatisfy({ $0.count == 2 })
        else { return true }
        let headers = pairs.map { WireRequest.Header(name: $0[0], value: $0[1]) }
        let isEncrypted = BodyEncryption.isEncrypted(body)
        if isEncrypted, own == nil { return false }
        guard let content = isEncrypted ? own?.opened(body) : body else { return own?.isForeign(body) != true }
        let plain = try? WireRequest(method: method, url: url, headers: headers, body: content).digest()
        guard let plain else { return false }
        return (try? Digest(of: secret + plain.bytes))?.description != digest
    }
}
