// SPDX-License-Identifier: Apache-2.0

/// A message of the usbredir protocol (usbredir's docs/usb-redirection-protocol.md): integers
/// little-endian, no padding.
struct RedirPacket: Sendable, Hashable {
    enum Kind: UInt32, Sendable {
        case hello = 0
        case deviceConnect, deviceDisconnect, reset, interfaceInfo, endpointInfo, setConfiguration,
            getConfiguration, configurationStatus, setAlternate, getAlternate, alternateStatus
        case cancelData = 21
        case control = 100
    }

    /// A number of `Kind`; what is not known is passed over.
    let type: UInt32
    /// Joins a reply to its request.
    let id: UInt64
    let body: [UInt8]

    init(_ kind: Kind, id: UInt64 = 0, _ body: [UInt8] = []) { self.init(type: kind.rawValue, id: id, body) }

    init(type: UInt32, id: UInt64, _ body: [UInt8]) {
        self.type = type
        self.id = id
        self.body = body
    }

    var kind: Kind? { Kind(rawValue: type) }
}

/// Capabilities by their bit. An xHCI controller of QEMU refuses a device without the last three.
enum RedirCapability {
    static let deviceVersion: UInt32 = 1 << 1
    static let maxPacketSize: UInt32 = 1 << 4
    static let wideIDs: UInt32 = 1 << 5
    static let wideBulkLength: UInt32 = 1 << 6
    static let ours = deviceVersion | maxPacketSize | wideIDs | wideBulkLength
}

/// Cuts the bytes of a connection into messages. Ids are 32 bits wide in both hellos, and 64
/// afterwards where both can.
struct RedirStream: Sendable {
    /// The longest message that is taken; a control transfer is far shorter.
    static let longest = 1 << 20
    /// Set once both sides have said so.
    var hasWideIDs = false
    private var buffer: [UInt8] = []

    init() {}

    mutating func append(_ bytes: some Sequence<UInt8>) { buffer += bytes }

    /// The next whole message; nil when more bytes are needed. Throws for a length that cannot be
    /// meant.
    mutating func next() throws(AdapterError) -> RedirPacket? {
        let head = hasWideIDs ? 16 : 12
        guard buffer.count >= head else { return nil }
        let length = Int(number(buffer[4..<8]))
        guard length <= Self.longest else { throw AdapterError("a usbredir message of \(length) bytes") }
        guard buffer.count >= head + length else { return nil }
        let packet = RedirPacket(
            type: UInt32(number(buffer[0..<4])), id: number(buffer[8..<head]), Array(buffer[head..<head + length]))
        buffer.removeFirst(head + length)
        return packet
    }

    /// The bytes of a message on this connection.
    func bytes(of packet: RedirPacket) -> [UInt8] {
        little(packet.type) + little(UInt32(packet.body.count))
            + (hasWideIDs ? little(packet.id) : little(UInt32(truncatingIfNeeded: packet.id))) + packet.body
    }
}

/// What ends the adapter or a connection, in words.
struct AdapterError: Error, Sendable, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Bytes of an integer, lowest first.
func little<Number: FixedWidthInteger>(_ value: Number) -> [UInt8] {
    (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> Number($0 * 8)) }
}

/// The integer of up to eight bytes, lowest first.
func number(_ bytes: some Collection<UInt8>) -> UInt64 { bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
