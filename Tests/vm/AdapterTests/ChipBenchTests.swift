// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

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

    @Test func otherChipsTakeThePlaceOfThoseThereAre() throws {
        var bench = try bench()
        try bench.fit(["ADXL345@0x53"])
        #expect(bench.message(0x18, nil, 1) == .noAcknowledge)
        #expect(bench.message(0x53, [0x00], 1) == .bytes([]))
        #expect(bench.message(0x53, nil, 1) == .bytes([0xE5]))
        #expect(throws: AdapterError.self) { try bench.fit(["NOCHIP@0x53"]) }
    }

    /// InvenSense's map of the MPU-9250: BYPASS_EN is b1 of INT_PIN_CFG (0x37); until it is set the
    /// AK8963 is not on the outer bus.
    @Test func aHousedMagnetometerIsOnTheBusOnlyWhileItsHostLetsIt() throws {
        var bench = try bench(["AK8963@0x0C", "MPU-9250@0x68"])
        #expect(bench.message(0x0C, [0x00], 1) == .noAcknowledge)
        _ = bench.message(0x68, [0x6B, 0x01], 2)
        // For 5 ms after it was woken the housing takes nothing (the kernel's inv_mpu_iio.h), and
        // the bench runs in real time.
        let end = ContinuousClock.now + .seconds(5)
        while bench.message(0x0C, [0x00], 1) == .noAcknowledge, ContinuousClock.now < end {
            _ = bench.message(0x68, [0x37, 0x02], 2)
        }
        #expect(bench.message(0x0C, nil, 1) == .bytes([0x48]))
    }

    /// TI's SLOS854: MODE (0x01) 5 is real-time playback of the value in RTP_INPUT (0x02), signed.
    @Test func aMotorsTurnsAreCounted() throws {
        var bench = try bench(["DRV2605L@0x5A"])
        for (value, turns): (UInt8, Int) in [(0x60, 1), (0x60, 1), (0x00, 1), (0x60, 2)] {
            #expect(bench.message(0x5A, [0x01, 0x05], 2) == .bytes([]))
            #expect(bench.message(0x5A, [0x02, value], 2) == .bytes([]))
            #expect(bench.turns == turns)
        }
        #expect(try Operator("turns") == .turns && Operator("fit A@1 B@2") == .fit(["A@1", "B@2"]))
    }
}
