// SPDX-License-Identifier: Apache-2.0
import Glibc
import Simulation
import Testing

private let log = """
    # recorded for this test\r
    $GPGSA,A,1,,,,,,,,,,,,,,,*1E\r
    $GPRMC,,V,,,,,,,,,,N*53\r
    $GPVTG,,,,,,,,,N*30\r
    $GPRMC,,V,,,,,,,,,,N*53\r
    $GPRMC,101010.00,A,,,,,,,,,,N*00\r
    $GPGLL,1,N,2,E,101010.00,A*00\r
    $GPGGA,101011.00,,*00\n$GPZDA,101011.00,*00\n
    """

@Test func aNewTimeOrARepetitionBeginsAnEpoch() {
    let epochs = NMEALog(Array(log.utf8)).epochs
    #expect(epochs.map { $0.split(separator: UInt8(ascii: "$")).count } == [3, 1, 2, 2])
    let sentences = log.split(separator: "\r\n", maxSplits: 1)[1]
    #expect(epochs.flatMap(\.self) == Array(sentences.utf8), "not a byte is changed")
}

@Test func anEpochIsBounded() {
    let endless = Array(String(repeating: "$GPTXT,01,01,02,nothing but text*00\r\n", count: 10_000).utf8)
    let epochs = NMEALog(endless).epochs
    #expect(epochs.allSatisfy { $0.count <= 16_384 } && epochs.flatMap(\.self) == endless)
    #expect(NMEALog([]).epochs.isEmpty)
}

/// Logs of real receivers, outside the project.
private enum RealLogs {
    static let folder = #filePath.split(separator: "/").dropLast(5).map { "/" + $0 }.joined() + "/shared/fixtures/nmea"
    static let names = ["neo-m8n.log", "bu353s4.log", "beidou-gb.log", "firefly-II.log", "garmin15x.log"]
    static var areThere: Bool { access("\(folder)/\(names[0])", R_OK) == 0 }

    static func read(_ name: String) -> [UInt8] {
        let file = open("\(folder)/\(name)", O_RDONLY)
        defer { close(file) }
        var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
        while case let count = Glibc.read(file, &buffer, buffer.count), count > 0 { bytes += buffer[..<count] }
        return bytes
    }
}

@Test(
    .enabled(if: RealLogs.areThere, "SKIPPED: no recorded logs in ../shared/fixtures/nmea"),
    arguments: RealLogs.names)
func anEpochOfARealReceiverHasEachKindOfFixOnce(_ name: String) {
    let bytes = RealLogs.read(name)
    let log = NMEALog(bytes)
    let newline = UInt8(ascii: "\n")
    let lines = bytes.split(separator: newline, omittingEmptySubsequences: false)
    let sentences = Array(lines.filter { $0.first != UInt8(ascii: "#") }.joined(separator: [newline]))
    #expect(log.epochs.flatMap(\.self) == sentences, "not a byte is changed")
    #expect(log.epochs.count > 4)
    for epoch in log.epochs {
        let types = epoch.split(separator: newline).map { String(decoding: $0.dropFirst(3).prefix(3), as: UTF8.self) }
        #expect(types.filter { $0 == "RMC" }.count <= 1, "\(types)")
    }
}
