// SPDX-License-Identifier: Apache-2.0
import Testing
import Times

@testable import usb_i2c_adapter

@Suite struct ChipBenchTests {
    private func bench(_ chips: [String] = ["LIS3DH@0x18", "LIS3MDL@0x1E"]) throws -> ChipBench {
        try ChipBench(chips, script: "still 60s", clock: SystemClock())
    }

    @Test func chipsTellTheirIdentity() throws {
        var bench = try bench()
        #expect(bench.message(0x18, [0x0F], 1) == .bytes([]))
        #expect(bench.message(0x18, nil, 1) == .bytes([0x33]))
        #expect(bench.message(0x1E, [0x0F], 1) == .bytes([]))
        #expect(bench.message(0x1E, nil, 1) == .bytes([0x3D]))
        #expect(bench.message(0x20, nil, 1) == .noAcknowledge)
        #expect(bench.messages == 5)
    }

    @Test func silenceAndStallPassAway() throws {
        var bench = try bench()
        bench.silence(0x18)
        #expect(bench.message(0x18, nil, 1) == .noAcknowledge && bench.message(0x1E, nil, 1) != .noAcknowledge)
        bench.wake(0x18)
        bench.stall(true)
        #expect(bench.message(0x18, nil, 1) == .failed)
        bench.stall(false)
        #expect(bench.message(0x18, nil, 1) != .failed)
    }

    @Test func powerCycleForgetsSettings() throws {
        var bench = try bench()
        _ = bench.message(0x18, [0x20, 0x57], 2)
        bench.powerCycle()
        _ = bench.message(0x18, [0x20], 1)
        #expect(bench.message(0x18, nil, 1) == .bytes([0x07]))
    }

    @Test(arguments: ["LIS3DH", "LIS3DH@0x99", "NOCHIP@0x18", "@"]) func mistakesAreNamed(_ text: String) {
        #expect(throws: AdapterError.self) { try bench([text]) }
    }

    @Test func ordersAreRead() throws {
        #expect(try Operator("silence 0x18") == .silence(0x18) && Operator("wake 30") == .wake(0x1E))
        #expect(try Operator("unplug") == .unplug && Operator("unstall") == .stall(false))
        for line in ["", "silence", "silence 0x80", "plug 0x18", "jump"] {
            #expect(throws: AdapterError.self) { try Operator(line) }
        }
    }
}
