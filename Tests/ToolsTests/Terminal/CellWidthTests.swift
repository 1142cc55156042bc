// SPDX-License-Identifier: Apache-2.0
import Glibc
import Terminal
import Testing

/// Unicode's East Asian Width (W and F are two columns) and general categories (Mn, Me and Cf
/// are none), as Python's `unicodedata` has them, at both sides of each edge.
@Suite struct CellWidthTests {
    @Test(
        arguments: [
            0x1100, 0x115F, 0x2E80, 0x303E, 0x3041, 0xA4C6, 0xA960, 0xA97C, 0xAC00, 0xD7A3, 0xF900, 0xFAD9, 0xFE30,
            0xFE6B,
            0xFF01, 0xFF60, 0xFFE0, 0xFFE6, 0x1F300, 0x1F5FF, 0x1F64F, 0x1F680, 0x1F6FC, 0x1F90C, 0x1F9FF, 0x1FA70,
            0x20000,
        ] as [UInt32])
    func wideCharactersTakeTwoColumns(value: UInt32) throws {
        #expect(CellWidth.of(Character(try #require(Unicode.Scalar(value)))) == 2)
    }

    @Test(
        arguments: [
            0x20, 0x41, 0x7E, 0xA0, 0xE9, 0x2FF, 0x370, 0x10FF, 0x303F, 0xA4D0, 0xA95F, 0xD7B0, 0xFB00, 0xFE70, 0xFF61,
            0xFFDC, 0xFFE8, 0x1F650, 0x1F700, 0x1FA00, 0x1FB00,
        ] as [UInt32])
    func otherCharactersTakeOne(value: UInt32) throws {
        #expect(CellWidth.of(Character(try #require(Unicode.Scalar(value)))) == 1)
    }

    /// Controls, marks that stand on what is before them, and what joins.
    @Test(arguments: [0x00, 0x1F, 0x7F, 0x9F, 0x300, 0x36F, 0x488, 0x20DD, 0x200D, 0xFE2F] as [UInt32])
    func whatIsNotSeenTakesNone(value: UInt32) throws {
        #expect(CellWidth.of(Character(try #require(Unicode.Scalar(value)))) == 0)
    }

    @Test(.enabled(if: PythonWidths.isThere)) func everyCharacterIsAsWideAsPythonSays() throws {
        let stretches = PythonWidths.stretches
        #expect(stretches.count > 300)
        for stretch in stretches {
            let wrong = try (stretch.first...stretch.last).filter { value in
                CellWidth.of(Character(try #require(Unicode.Scalar(value)))) != stretch.width
            }
            #expect(wrong.isEmpty, "\(wrong.map { "U+" + String($0, radix: 16) }) should take \(stretch.width)")
        }
    }

    @Test func aTextTakesWhatItsCharactersTake() {
        #expect(CellWidth.of("") == 0)
        #expect(CellWidth.of("aあ") == 3 && CellWidth.of("あいう") == 6)
    }
}

/// What Python's `unicodedata` has of every character it knows that takes a column.
private enum PythonWidths {
    /// Unicode 16 made some of the characters wide that Unicode 15.1 has as narrow.
    static let isThere: Bool = {
        if !stretches.isEmpty { return true }
        print("SKIPPED: there is no python3 with a unicodedata up to Unicode 15.1")
        return false
    }()

    static let stretches: [(first: UInt32, last: UInt32, width: Int)] = {
        let program = """
            import itertools, unicodedata as u
            assert float(u.unidata_version[:4]) <= 15.1
            seen = [c for c in range(0x300, 0x110000) if u.category(chr(c)) not in ("Cn", "Cs", "Co", "Mn", "Me", "Cf")]
            width = lambda c: 2 if u.east_asian_width(chr(c)) in "WF" else 1
            for key, group in itertools.groupby(enumerate(seen), lambda p: (p[1] - p[0], width(p[1]))):
                group = list(group)
                print(group[0][1], group[-1][1], key[1])
            """
        guard let pipe = popen("python3 -c '\(program)' 2>/dev/null", "r") else { return [] }
        var text: [UInt8] = []
        while case let byte = fgetc(pipe), byte != EOF { text.append(UInt8(truncatingIfNeeded: byte)) }
        guard pclose(pipe) == 0 else { return [] }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap { line in
            let numbers = line.split(separator: " ").compactMap { UInt32($0) }
            return numbers.count == 3 ? (numbers[0], numbers[1], Int(numbers[2])) : nil
        }
    }()
}
