// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import usb_i2c_adapter

@Suite struct TinyUSBTests {
    private static let toHost: UInt8 = 0xC1
    private static let toDevice: UInt8 = 0x41
    private static let status = TinyUSB.Request(type: toHost, request: 3, length: 1)

    private func read(_ outcome: TinyUSB.Outcome) -> (answer: TinyUSB.Answer, status: TinyUSB.Answer) {
        var adapter = TinyUSB()
        let request = TinyUSB.Request(type: Self.toHost, request: 6, value: 1, index: 0x18, length: 2)
        let answer = adapter.answer(request) { address, data, count in
            #expect(address == 0x18 && data == nil && count == 2)
            return outcome
        }
        return (answer, adapter.answer(Self.status) { _, _, _ in .failed })
    }

    @Test func statusTellsHowTheLastMessageEnded() {
        #expect(read(.bytes([5, 6])) == (.done([5, 6]), .done([1])))
        #expect(read(.noAcknowledge) == (.done([0, 0]), .done([2])))
        #expect(read(.failed) == (.stall, .done([0])))
    }

    @Test func writtenBytesReachTheChip() {
        var adapter = TinyUSB()
        var written: [UInt8]?
        let request = TinyUSB.Request(type: Self.toDevice, request: 5, index: 0x1E, length: 2, data: [0x20, 0x57])
        let answer = adapter.answer(request) { _, data, _ in
            written = data
            return .bytes([])
        }
        #expect(answer == .done([]) && written == [0x20, 0x57])
    }

    @Test func plainI2CIsOffered() {
        var adapter = TinyUSB()
        let answer = adapter.answer(TinyUSB.Request(type: Self.toHost, request: 1, length: 4)) { _, _, _ in .failed }
        guard case .done(let bytes) = answer else { return #expect(Bool(false), "stalled") }
        #expect(number(bytes) & 1 == 1)
    }

    @Test func descriptorsAreCutToWhatIsAskedFor() {
        var adapter = TinyUSB()
        var request = TinyUSB.Request(type: 0x80, request: 6, value: 0x0100, length: 8)
        #expect(adapter.answer(request) { _, _, _ in .failed } == .done([18, 1, 0x10, 1, 0xFF, 0, 0, 8]))
        request.value = 0x0600  // a device qualifier, which a full-speed device has not
        #expect(adapter.answer(request) { _, _, _ in .failed } == .stall)
    }
}
