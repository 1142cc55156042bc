// SPDX-License-Identifier: Apache-2.0
import Glibc
import Simulation
import Testing
import Times

@Test func epochsArriveByteForByteOnTheOtherSideOfTheLine() throws {
    let log = NMEALog(Array("$GPRMC,101010,A*00\r\n$GPRMC,101011,A*00\r\n".utf8))
    let line = try PseudoTerminal()
    let gps = SimulatedGPS(log, into: line, start: at(1))
    let reader = open(line.path, O_RDONLY | O_NOCTTY | O_NONBLOCK)
    defer { close(reader) }
    func received() -> String {
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = read(reader, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }
    gps.serve(at: at(0.5))
    #expect(received().isEmpty && gps.due == at(1))
    gps.serve(at: at(1))
    #expect(received() == "$GPRMC,101010,A*00\r\n" && gps.due == at(2))
    gps.serve(at: at(2.1))
    #expect(received() == "$GPRMC,101011,A*00\r\n" && gps.due == at(3))
    gps.serve(at: at(3))
    #expect(received() == "$GPRMC,101010,A*00\r\n", "it begins again")
    gps.serve(at: at(5.5))
    #expect(gps.due == at(6) && gps.sent == 4 && gps.dropped == 0)
}

@Test func aLineThatNobodyReadsDropsAndCounts() throws {
    let epoch = "$GPRMC,1,A*00" + String(repeating: " ", count: 3000) + "\n"
    let gps = SimulatedGPS(NMEALog(Array(epoch.utf8)), into: try PseudoTerminal(), start: at(0))
    for second in 0..<100 { gps.serve(at: at(Double(second))) }
    #expect(gps.dropped > 100_000 && gps.sent == 100)
}

@Test func theLineCarriesBytesBothWays() throws {
    let line = try PseudoTerminal()
    let reader = open(line.path, O_RDWR | O_NOCTTY)
    defer { close(reader) }
    let command: [UInt8] = [0xB5, 0x62, 0x06, 0x08, 0x0A, 0x0D, 0x03, 0x04, 0x00, 0xFF]
    #expect(write(reader, command, command.count) == command.count)
    #expect(line.received() == command)
    #expect(line.received().isEmpty)
}
