// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit
import Testing

@testable import Device

@Suite struct ExportOutputTests {
    @Test(arguments: [
        (1.5, 2, "1.50"), (-0.004, 2, "0.00"), (-0.006, 2, "-0.01"), (123_456.789, 0, "123457"),
        (0.000001, 6, "0.000001"),
        (.nan, 3, ""), (.infinity, 3, ""), (-12.000000001, 9, "-12.000000001"), (0, 0, "0"),
    ])
    func numbersHaveTheirDecimals(_ value: Double, _ decimals: Int, _ text: String) throws {
        let bench = Workbench()
        #expect(try bench.exported("n") { $0.number(value, decimals) } == Array(text.utf8))
    }

    @Test func aFileAppearsWhenItIsWholeAndNotBefore() throws {
        let bench = Workbench()
        try bench.write("out", Array("old".utf8))
        do {
            let output = try ExportOutput(path: "\(bench.path)/out")
            for _ in 0..<20_000 {
                output.text("half a file ")
                try output.drain()
            }
        }
        #expect(try bench.bytes("out") == Array("old".utf8) && bench.names() == ["out"])
        #expect(try bench.exported("out") { $0.text("new") } == Array("new".utf8))
    }

    @Test func aFullDiskIsSaid() throws {
        let descriptor = open("/dev/full", O_WRONLY)
        defer { close(descriptor) }
        let output = ExportOutput(descriptor: descriptor, name: "/dev/full")
        output.text("x")
        #expect(throws: FileError(operation: "write", path: "/dev/full", code: ENOSPC)) {
            try output.finish()
        }
    }
}
