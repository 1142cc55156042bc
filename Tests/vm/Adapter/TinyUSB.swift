// SPDX-License-Identifier: Apache-2.0

/// An i2c-tiny-usb adapter as its driver in the kernel sees it
/// (drivers/i2c/busses/i2c-tiny-usb.c): control transfers only, one for each message of an I2C
/// transfer, and a status that is asked for afterwards.
struct TinyUSB: Sendable {
    /// A control transfer's setup packet and what goes with it to the device.
    struct Request: Sendable, Hashable {
        var type: UInt8
        var request: UInt8
        var value: UInt16 = 0
        var index: UInt16 = 0
        var length: UInt16 = 0
        var data: [UInt8] = []

        var isToHost: Bool { type & 0x80 != 0 }
        var isStandard: Bool { type & 0x60 == 0 }
    }

    enum Answer: Sendable, Hashable {
        /// What goes to the host; empty after a write.
        case done([UInt8])
        /// The device refuses: EPIPE in the driver, which its caller sees as EIO.
        case stall
    }

    /// One I2C message ended in this.
    enum Outcome: Sendable, Hashable {
        case bytes([UInt8])
        case noAcknowledge
        case failed
    }

    /// The device's vendor and product, by which the driver is found.
    static let vendor: UInt16 = 0x0403
    static let product: UInt16 = 0xC631
    static let release: UInt16 = 0x0105

    /// STATUS_IDLE, STATUS_ADDRESS_ACK, STATUS_ADDRESS_NAK of the driver.
    private var status: UInt8 = 0

    init() {}

    /// Runs one control transfer; `message` runs an I2C message: address, bytes to write or
    /// nil, count to read.
    mutating func answer(
        _ request: Request, _ message: (UInt8, [UInt8]?, Int) -> Outcome
    ) -> Answer {
        request.isStandard ? standard(request) : vendor(request, message)
    }

    private func standard(_ request: Request) -> Answer {
        switch (request.request, request.isToHost) {
        case (0, true): return .done([0, 0])  // GET_STATUS
        case (6, true):  // GET_DESCRIPTOR: kind and number
            guard let bytes = Self.descriptor(UInt8(request.value >> 8), UInt8(request.value & 0xFF)) else {
                return .stall
            }
            return .done(Array(bytes.prefix(Int(request.length))))
        case (_, false): return .done([])
        default: return .stall
        }
    }

    private mutating func vendor(_ request: Request, _ message: (UInt8, [UInt8]?, Int) -> Outcome) -> Answer {
        switch request.request {
        case 0: return .done(little(request.value))  // CMD_ECHO
        case 1: return .done(little(Self.functions))  // CMD_GET_FUNC
        case 2: return .done([])  // CMD_SET_DELAY: the speed of the wire
        case 3: return .done([status])  // CMD_GET_STATUS
        case 4...7: return transfer(request, message)  // CMD_I2C_IO, with begin and end
        default: return .stall
        }
    }

    /// The value holds the message's flags, the index its address.
    private mutating func transfer(_ request: Request, _ message: (UInt8, [UInt8]?, Int) -> Outcome) -> Answer {
        let address = UInt8(request.index & 0x7F)
        let data = request.isToHost ? nil : request.data
        switch message(address, data, Int(request.length)) {
        case .bytes(let bytes):
            status = 1
            return .done(bytes)
        case .noAcknowledge:
            status = 2
            return .done(request.isToHost ? [UInt8](repeating: 0, count: Int(request.length)) : [])
        case .failed: return .stall
        }
    }

    /// I2C_FUNC_I2C and all emulated SMBus calls with PEC.
    private static let functions: UInt32 = 0x0EFF_0009

    private static func descriptor(_ kind: UInt8, _ number: UInt8) -> [UInt8]? {
        switch (kind, number) {
        case (1, _): device
        case (2, _): configuration
        case (3, 0): [4, 3, 9, 4]  // English
        case (3, 1): text("studyd tests")
        case (3, 2): text("i2c-tiny-usb")
        default: nil
        }
    }

    /// USB 1.1, eight bytes on the control endpoint, strings 1 and 2, one configuration.
    private static let device: [UInt8] =
        [18, 1, 0x10, 1, 0xFF, 0, 0, 8] + little(vendor) + little(product) + little(release) + [1, 2, 0, 1]
    /// One interface without endpoints, bus powered, 100 mA.
    private static let configuration: [UInt8] = [9, 2, 18, 0, 1, 1, 0, 0x80, 50, 9, 4, 0, 0, 0, 0xFF, 0, 0, 0]

    private static func text(_ string: String) -> [UInt8] {
        let units = string.utf16.flatMap { little($0) }
        return [UInt8(units.count + 2), 3] + units
    }
}
