// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Terminal

/// Bytes as the specification of the protocol has them:
/// https://sw.kovidgoyal.net/kitty/keyboard-protocol/ ("CSI unicode-key-code:alternates ;
/// modifiers:event-type ; text u", press 1, repeat 2, release 3; modifiers are 1 plus shift 1, alt
/// 2, ctrl 4; the key code "is always lower-case").
@Suite struct KeyDecoderTests {
    private static func keys(_ text: String) -> [TerminalInput] {
        var decoder = KeyDecoder()
        return decoder.decode(Array(text.utf8))
    }

    private static func inputs(_ stroke: KeyStroke?) -> [TerminalInput] { stroke.map { [.key($0)] } ?? [] }

    @Test func whatEveryTerminalSends() {
        #expect(
            Self.keys("aS1") == [.key(KeyStroke("a")), .key(KeyStroke("s", isShifted: true)), .key(KeyStroke("1"))])
        #expect(
            Self.keys("\u{1B}s\u{1B}S") == [
                .key(KeyStroke("s", hasAlt: true)), .key(KeyStroke("s", isShifted: true, hasAlt: true)),
            ])
        #expect(Self.keys("\u{0C}") == [.key(KeyStroke("l", hasControl: true))])
        #expect(Self.keys("\u{1B}[A\u{1B}[1;5Cx") == [.key(KeyStroke("x"))], "arrows mean nothing")
    }

    /// ASCII: Ctrl and a letter clear bits 6 and 7 of it.
    @Test(
        arguments: [
            (0x00, nil), (0x01, KeyStroke("a", hasControl: true)), (0x1A, KeyStroke("z", hasControl: true)),
            (0x1C, nil),
            (0x1F, nil), (0x20, KeyStroke(" ")), (0x40, KeyStroke("@")), (0x41, KeyStroke("a", isShifted: true)),
            (0x5A, KeyStroke("z", isShifted: true)), (0x5B, KeyStroke("[")), (0x60, KeyStroke("`")),
            (0x61, KeyStroke("a")), (0x7A, KeyStroke("z")), (0x7E, KeyStroke("~")), (0x7F, nil), (0x80, nil),
            (0xFF, nil),
        ] as [(UInt8, KeyStroke?)])
    func aByteIsAKey(byte: UInt8, stroke: KeyStroke?) {
        var decoder = KeyDecoder()
        #expect(decoder.decode([byte]) == Self.inputs(stroke))
    }

    /// As infocmp (terminfo) has `kf1` to `kf5` and `kcuu1` of xterm and of linux.
    @Test(arguments: [
        "\u{1B}OP", "\u{1B}OQ", "\u{1B}OS", "\u{1B}OA", "\u{1B}[[A", "\u{1B}[[B", "\u{1B}[[E", "\u{1B}[15~",
    ])
    func functionKeysAreNoLetters(_ sequence: String) {
        #expect(Self.keys(sequence + "x") == [.key(KeyStroke("x"))])
        var decoder = KeyDecoder()
        let bytes = Array(sequence.utf8)
        let inputs = bytes.flatMap { decoder.decode([$0]) }
        #expect(inputs.isEmpty && decoder.decode(Array("x".utf8)) == [.key(KeyStroke("x"))], "byte by byte")
    }

    @Test func altWithABracketOrAnOWaitsForWhatFollowsAndIsGivenUp() {
        var decoder = KeyDecoder()
        #expect(decoder.decode(Array("\u{1B}O".utf8)).isEmpty)
        decoder.discardPending()
        #expect(decoder.decode(Array("q".utf8)) == [.key(KeyStroke("q"))])
    }

    @Test(arguments: [
        "97;-9223372036854775808u", "97;-1u", "97;0u", "97;1u", "97;9223372036854775808u", "97;9223372036854775807:3u",
    ])
    func modifiersThatCannotBeEndNothing(_ body: String) {
        #expect(Self.keys("\u{1B}[" + body).count == 1)
    }

    @Test func whatATerminalSendsThatTellsReleases() {
        #expect(
            Self.keys("\u{1B}[?11u") == [.tellsReleases(true)] && Self.keys("\u{1B}[?1u") == [.tellsReleases(false)])
        #expect(
            Self.keys("\u{1B}[115u\u{1B}[115;1:2u\u{1B}[115;1:3u")
                == [.key(KeyStroke("s")), .key(KeyStroke("s", kind: .hold)), .key(KeyStroke("s", kind: .release))])
        #expect(Self.keys("\u{1B}[115;2u") == [.key(KeyStroke("s", isShifted: true))])
        #expect(Self.keys("\u{1B}[99;5u") == [.key(KeyStroke("c", hasControl: true))])
        #expect(Self.keys("\u{1B}[115;129:3u") == [.key(KeyStroke("s", kind: .release))], "num lock")
        #expect(Self.keys("\u{1B}[57441;2u").isEmpty, "shift by itself")
    }

    /// All but the key's code may be left out ("CSI 97;;229u"); of several codes the first is the key's.
    @Test(
        arguments: [
            ("97;;229u", KeyStroke("a")), ("97;:3u", KeyStroke("a", kind: .release)),
            ("97:65;2u", KeyStroke("a", isShifted: true)),
            ("97::113;1:2u", KeyStroke("a", kind: .hold)), ("97;3u", KeyStroke("a", hasAlt: true)),
            ("97;8:1u", KeyStroke("a", isShifted: true, hasAlt: true, hasControl: true)), ("97;1:4u", KeyStroke("a")),
            ("32u", KeyStroke(" ")), ("126u", KeyStroke("~")), ("31u", nil), ("127u", nil), ("u", nil), (";2u", nil),
            ("97;2A", nil), ("97;2~", nil), ("97@", nil),
        ] as [(String, KeyStroke?)])
    func aSequenceIsReadByItsFields(_ body: String, _ stroke: KeyStroke?) {
        #expect(Self.keys("\u{1B}[" + body) == Self.inputs(stroke))
    }

    /// The flags are 2 for releases, and 8 for those of keys that make text.
    @Test(arguments: [
        ("", false), ("0", false), ("2", false), ("3", false), ("8", false), ("9", false), ("10", true), ("11", true),
        ("31", true),
        ("-", false),
    ])
    func onlyATerminalWithBothFlagsTellsReleases(_ flags: String, _ tells: Bool) {
        #expect(Self.keys("\u{1B}[?\(flags)u") == [.tellsReleases(tells)])
    }

    @Test(arguments: [(64, KeyStroke("a")), (65, KeyStroke("u"))])
    func whatIsLongerThanAnySequenceIsDropped(length: Int, stroke: KeyStroke) {
        var decoder = KeyDecoder()
        let start = "\u{1B}[97;"
        #expect(decoder.decode(Array((start + String(repeating: "1", count: length - 5)).utf8)).isEmpty)
        #expect(decoder.decode(Array("u".utf8)) == [.key(stroke)])
    }

    @Test func aSequenceMayComeInParts() {
        var decoder = KeyDecoder()
        #expect(decoder.decode(Array("\u{1B}[11".utf8)).isEmpty)
        #expect(decoder.decode(Array("5;1:3ua".utf8)) == [.key(KeyStroke("s", kind: .release)), .key(KeyStroke("a"))])
        #expect(decoder.decode([0x1B]).isEmpty)
        decoder.discardPending()
        #expect(decoder.decode(Array("a".utf8)) == [.key(KeyStroke("a"))])
    }

    @Test func noBytesEndTheProgram() {
        var decoder = KeyDecoder()
        var seed: UInt64 = 1
        for _ in 0..<20_000 {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            _ = decoder.decode([seed >> 62 == 0 ? 0x1B : UInt8(truncatingIfNeeded: seed >> 56)])
        }
        #expect(decoder.decode(Array("\u{1B}[999999999999999999999;99999999999999999999u".utf8)).isEmpty)
    }
}
