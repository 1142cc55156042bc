// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

/// Values of every kind at their limits (toml.io/en/v1.0.0), with what Python's tomllib reads in them.
@Suite struct TOMLValueTests {
    static let readings: [(value: String, reading: String)] = [
        ("1979-05-27", "t1979-05-27"), ("1979-01-31", "t1979-01-31"), ("0001-01-01", "t0001-01-01"),
        ("9999-12-31", "t9999-12-31"), ("2000-02-29", "t2000-02-29"), ("2024-02-29", "t2024-02-29"),
        ("00:00:00", "t00:00:00"), ("23:59:59", "t23:59:59"), ("07:32:00.999999", "t07:32:00.999999"),
        ("1979-05-27T07:32:00", "t1979-05-27T07:32:00"), ("1979-05-27T07:32:00Z", "t1979-05-27T07:32:00+00:00"),
        ("1979-05-27 07:32:00-07:00", "t1979-05-27T07:32:00-07:00"),
        ("1979-05-27t00:32:00.5z", "t1979-05-27T00:32:00.500000+00:00"),
        ("1979-05-27T07:32:00+23:59", "t1979-05-27T07:32:00+23:59"),
        ("0", "i0"), ("+0", "i0"), ("-0", "i0"), ("+99", "i99"), ("-17", "i-17"), ("1_000", "i1000"),
        ("0xDEADBEEF", "i3735928559"), ("0xdead_beef", "i3735928559"), ("0o755", "i493"), ("0b11010110", "i214"),
        ("0x7FFFFFFFFFFFFFFF", "i9223372036854775807"), ("9223372036854775807", "i9223372036854775807"),
        ("-9223372036854775808", "i-9223372036854775808"),
        ("+1.0", "f3ff0000000000000"), ("-0.0", "f8000000000000000"), ("0e0", "f0000000000000000"),
        ("5e+22", "f44a52d02c7e14af6"), ("-2E-2", "fbf947ae147ae147b"), ("1_0.2_5e1_0", "f4237dd79e1000000"),
        ("inf", "f7ff0000000000000"), ("+inf", "f7ff0000000000000"), ("-inf", "ffff0000000000000"), ("nan", "fnan"),
        ("-nan", "fnan"), ("true", "b1"), ("false", "b0"),
        ("\"\"", "s"), ("''", "s"), ("\"\"\"a\"\"b\"\"\"", "s61222262"), ("'''a'b''c'''", "s612762272763"),
        ("\"\"\"\na\r\nb\"\"\"", "s610a62"), ("'''\n\\d{2}\\\n  b'''", "s5c647b327d5c0a202062"),
        ("\"\"\"\\ \t\n x\"\"\"", "s78"),
        (
            "\"\"\"\\\n  The quick \\\n\n\n  fox \\\r\n\t jumps.\\\n  \"\"\"",
            "s54686520717569636b20666f78206a756d70732e"
        ),
    ]

    @Test(arguments: readings.indices) func everyKindOfValueIsRead(_ index: Int) {
        let (value, reading) = Self.readings[index]
        #expect(Reading.line(Array("a = \(value)".utf8)) == "{61:\(reading)}", "\(value)")
    }

    @Test(arguments: [
        "24:00:00", "23:60:00", "23:59:60", "07:32:00.", "07:32:00Z", "07:32", "1979-05-2", "1979-13-01", "1979-00-01",
        "1979-01-00", "1979-04-31", "1900-02-29", "0000-01-01", "1979-05-27T", "1979-05-27T07:32",
        "1979-05-27X07:32:00", "1979-05-27T07:32:00+24:00", "1979-05-27T07:32:00+23:60", "1979-05-27T07:32:00+0700",
        "1979-05-27T07:32:00x", "1979-05-27T07:32:00ZZ", "1979-05-27T07:32:00+07:00Z",
        "1979-05-27  07:32:00", "00", "-01", "01.5", "1_", "_1", "1__0", "1._5", "1_.5", "1.", "1.e5", ".5", "1e",
        "1e+",
        "1e_5", "+", "--1", "+0x1", "0x", "0xG", "0o8", "0b2", "9223372036854775808", "-9223372036854775809",
        "0x8000000000000000", "infinity", "+true", "True", "\"\"\"a \\ b\"\"\"", "'''a''''''", "\"\\u00e\"",
        "\"\\U00110000\"",
    ])
    func whatIsOneStepBeyondIsRefused(_ value: String) {
        #expect(Reading.line(Array("a = \(value)".utf8)) == "error", "\(value)")
    }

    /// "Bare keys may only contain ASCII letters, ASCII digits, underscores, and dashes."
    @Test(arguments: UInt8(0x21)...0x7E) func aBareKeyHasLettersDigitsUnderscoresAndDashes(_ byte: UInt8) {
        let isBare = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-".utf8.contains(byte)
        let key = "k\(Character(Unicode.Scalar(byte)))"
        #expect((try? TOMLTable(parsing: "\(key) = 1".utf8))?.keys == (isBare ? [key] : nil))
    }

    @Test(arguments: [
        (" \t[a] \t# x\n  # y\n \t\n\tb\t=\t1\t# z\n", "{61:{62:i1}}"),
        ("\t[[a]]\n\t[[ a ]]\n b = 2\r\n\r\n", "{61:[{},{62:i2}]}"), ("a=[1,2]", "{61:[i1,i2]}"),
        ("a = [ ]", "{61:[]}"), ("a = [\n\t1 ,\n\n2\t, # x\n ]", "{61:[i1,i2]}"), ("a={b=1}", "{61:{62:i1}}"),
        ("a = {\t}", "{61:{}}"), ("a = { b = 1\t, c = 2 }", "{61:{62:i1,63:i2}}"), ("", "{}"), ("# x", "{}"),
    ])
    func blanksMayStandAroundEverything(_ text: String, _ reading: String) {
        #expect(Reading.line(Array(text.utf8)) == reading)
    }
}
