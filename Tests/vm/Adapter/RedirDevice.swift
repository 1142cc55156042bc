// SPDX-License-Identifier: Apache-2.0

/// The adapter at the end of one usbredir connection: messages in, messages out.
///
/// ```
/// silent ──hello──▶ greeted ──plug──▶ plugged ──unplug──▶ greeted
/// ```
struct RedirDevice: Sendable {
    private enum State: Sendable { case silent, greeted, plugged }
    private var state = State.silent
    private var adapter = TinyUSB()
    /// QEMU has said hello too.
    var isGreeted: Bool { state != .silent }
    /// The host sees a device.
    var isPlugged: Bool { state == .plugged }
    /// Both sides can 64-bit ids.
    private(set) var hasWideIDs = false

    init() {}

    /// The first message of a connection.
    static let hello = RedirPacket(
        .hello, padded("studyd usb-i2c-adapter", to: 64) + little(RedirCapability.ours))

    /// A device appears: what it has first, then the device itself.
    mutating func plug() -> [RedirPacket] {
        guard state == .greeted else { return [] }
        state = .plugged
        adapter = TinyUSB()
        return [
            RedirPacket(.endpointInfo, Self.endpoints), RedirPacket(.interfaceInfo, Self.interfaces),
            RedirPacket(
                .deviceConnect,
                [1, 0xFF, 0, 0] + little(TinyUSB.vendor) + little(TinyUSB.product) + little(TinyUSB.release)),
        ]
    }

    mutating func unplug() -> [RedirPacket] {
        guard state == .plugged else { return [] }
        state = .greeted
        return [RedirPacket(.deviceDisconnect)]
    }

    /// What is answered to one message; `message` runs an I2C message as for `TinyUSB`.
    mutating func answer(
        _ packet: RedirPacket, _ message: (UInt8, [UInt8]?, Int) -> TinyUSB.Outcome
    ) -> [RedirPacket] {
        switch packet.kind {
        case .hello:
            state = .greeted
            hasWideIDs = packet.body.count >= 68 && number(packet.body[64..<68]) & UInt64(RedirCapability.wideIDs) != 0
            return []
        case .setConfiguration: return [RedirPacket(.configurationStatus, id: packet.id, [0, packet.body.first ?? 1])]
        case .getConfiguration: return [RedirPacket(.configurationStatus, id: packet.id, [0, 1])]
        case .setAlternate:
            return [RedirPacket(.alternateStatus, id: packet.id, [0] + padded(packet.body, to: 2))]
        case .getAlternate:
            return [RedirPacket(.alternateStatus, id: packet.id, [0, packet.body.first ?? 0, 0])]
        case .control: return state == .plugged ? control(packet, message) : []
        default: return []
        }
    }

    /// endpoint, request, type, status, value, index, length; then data.
    private mutating func control(
        _ packet: RedirPacket, _ message: (UInt8, [UInt8]?, Int) -> TinyUSB.Outcome
    ) -> [RedirPacket] {
        let head = packet.body
        guard head.count >= 10 else { return [] }
        let request = TinyUSB.Request(
            type: head[2], request: head[1], value: UInt16(number(head[4..<6])), index: UInt16(number(head[6..<8])),
            length: UInt16(number(head[8..<10])), data: Array(head[10...]))
        switch adapter.answer(request, message) {
        case .done(let bytes):
            let sent = request.isToHost ? Array(bytes.prefix(Int(request.length))) : []
            let length = request.isToHost ? UInt16(sent.count) : request.length
            return [
                RedirPacket(.control, id: packet.id, Array(head[0..<3]) + [0] + head[4..<8] + little(length) + sent)
            ]
        case .stall:
            return [RedirPacket(.control, id: packet.id, Array(head[0..<3]) + [4] + head[4..<8] + [0, 0])]
        }
    }

    /// 32 endpoints: type, interval, interface, longest packet. Only the two of control exist.
    private static let endpoints: [UInt8] = {
        var types = [UInt8](repeating: 0xFF, count: 32)
        types[0] = 0
        types[16] = 0
        return types + [UInt8](repeating: 0, count: 64) + (0..<32).flatMap { _ in little(UInt16(8)) }
    }()

    /// One interface of the vendor's own class: count, numbers, classes, subclasses,
    /// protocols of 32.
    private static let interfaces: [UInt8] =
        little(UInt32(1)) + [UInt8](repeating: 0, count: 32) + padded([0xFF], to: 32)
        + [UInt8](repeating: 0, count: 64)
}

/// The bytes of a text or of an array with zeros to that length.
private func padded(_ text: String, to length: Int) -> [UInt8] { padded(Array(text.utf8), to: length) }

private func padded(_ bytes: [UInt8], to length: Int) -> [UInt8] {
    Array((bytes + [UInt8](repeating: 0, count: length)).prefix(length))
}
