// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

/// The device-tree overlay of the keypad, compiled by the compiler that makes overlays (dtc),
/// against the board file that goes with it. The keymap is read by the kernel's
/// devicetree/bindings/input/matrix-keymap.yaml: row << 24 | column << 16 | code.
@Suite struct KeypadOverlayTests {
    private static let isPossible: Bool = {
        guard access("/usr/bin/dtc", X_OK) == 0 else {
            print(
                "SKIPPED: the keypad's overlay is not compiled, because /usr/bin/dtc is not there (Debian: device-tree-compiler)"
            )
            return false
        }
        return true
    }()

    @Test(.enabled(if: isPossible)) func theOverlayCompilesAndHasTheKeysOfTheBoardFile() async throws {
        try await Stage.with { stage in
            let (source, binary) = (Programs.package + "/boards/keypad.dts", stage.folder + "/keypad.dtbo")
            let compiled = try stage.start(["/usr/bin/dtc", "-@", "-I", "dts", "-O", "dtb", "-o", binary, source])
            #expect(try await compiled.ended() == 0, "\(compiled.errors)")
            let read = try stage.start(["/usr/bin/dtc", "-I", "dtb", "-O", "dts", binary])
            #expect(try await read.ended() == 0, "\(read.errors)")
            let keys = Self.cells("linux,keymap", in: read.output).map {
                (row: Int($0 >> 24), column: Int($0 >> 16 & 0xFF), code: Int($0 & 0xFFFF))
            }
            // Three cells to a line: the chip, its number, its flags.
            let rows = Self.cells("row-gpios", in: read.output).count / 3
            let columns = Self.cells("col-gpios", in: read.output).count / 3
            #expect(rows == 4 && columns == 4)
            #expect(Set(keys.map { $0.row * columns + $0.column }) == Set(0..<rows * columns))
            #expect(keys.count == rows * columns)
            let codes = Files.text(Programs.package + "/boards/keypad.toml").split(separator: "\n").compactMap { line in
                line.hasPrefix("code = ") ? Int(line.dropFirst(7).prefix { $0.isNumber }) : nil
            }
            #expect(!codes.isEmpty && Set(codes).isSubset(of: Set(keys.map(\.code))) && Set(codes).count == codes.count)
            // A pin is a row or a column, and only once.
            let pins = (Self.cells("row-gpios", in: read.output) + Self.cells("col-gpios", in: read.output))
                .enumerated()
                .filter { $0.offset % 3 == 1 }.map(\.element)
            #expect(Set(pins).count == 8 && pins.allSatisfy { (2...27).contains($0) }, "\(pins)")
        }
    }

    /// The numbers of a property, as dtc prints them.
    private static func cells(_ property: String, in text: String) -> [UInt32] {
        for line in text.split(separator: "\n") {
            let words = line.split(whereSeparator: { " \t<>;=".contains($0) })
            guard words.first == property[...] else { continue }
            return words.dropFirst().compactMap { UInt32($0.dropFirst(2), radix: 16) }
        }
        return []
    }
}
