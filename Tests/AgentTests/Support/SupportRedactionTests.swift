// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Agent

@Suite struct SupportRedactionTests {
    private static let redaction = SupportRedaction(names: ["P017", "4271.9385", "sad since Tuesday", "x"])

    @Test(arguments: [
        // What is known to be private.
        ("participant P017 left", "participant (cut) left"), ("answered 4271.9385", "answered (cut)"),
        ("said sad since Tuesday again", "said (cut) again"),
        // Persons, and where they were.
        ("account ada@example.org", "account (cut)"), ("lat=52.520008 lon=13.404954", "lat=(cut) lon=(cut)"),
        ("at -33.8688,151.2093", "at (cut),(cut)"), ("52°31'12\"N", "(cut)'12\"N"),
        ("nmea $GPRMC,081836,A,3751.65,S,14507.36,E,000.0", "nmea $GPRMC,(cut)"),
        // The kernel's name of the battery of a Bluetooth clicker (drivers/hid/hid-input.c: "hid-%s-battery").
        ("sys/class/power_supply: AC hid-34:88:5d:5a:00:1F-battery", "sys/class/power_supply: AC (cut)"),
        // Secrets.
        ("Authorization: Bearer abc123def456ghi789jkl0", "Authorization: Bearer (cut)"),
        ("key=Zm9vYmFyMTIzNDU2Nzg5MGFiY2RlZmdoaWprbG1ub3A", "key=(cut)"),
        ("https://user:pass@lab.example/x", "(cut)"),
        ("https://lab.example:8443/study/abc?token=1", "https://lab.example:8443/(cut)"),
        // Somebody's own words.
        ("a message \"come home\" came", "a message \"(cut)\" came"), ("named 'Anna Muster': no", "named '(cut)': no"),
        ("text “hallo” and „tschüss“", "text “(cut)” and „(cut)“"),
        ("the device's clock isn't good", "the device's clock isn't good"),
        // What support needs stays.
        ("i2c-1/0x68: no acknowledge; check the wiring", "i2c-1/0x68: no acknowledge; check the wiring"),
        ("/var/lib/studyd: 12.5 GB free, 48.25 °C", "/var/lib/studyd: 12.5 GB free, 48.25 (cut)"),
        ("2026-11-25T19:00:00+01:00 hz studyd[812]: LSM6DSO", "2026-11-25T19:00:00+01:00 hz studyd[812]: LSM6DSO"),
        ("uncertainty 0.25 s of 100 Hz", "uncertainty 0.25 s of 100 Hz"), ("", ""), ("\n", "\n"), ("x y", "x y"),
    ])
    func itCutsWhatMayBePrivateAndKeepsWhatHelps(text: String, cut: String) {
        #expect(Self.redaction.clean(text) == cut)
    }

    /// The longest known name first, else its end would stay.
    @Test func namesWithinNamesGoWhole() {
        #expect(SupportRedaction(names: ["Anna", "Anna Muster"]).clean("Anna Muster") == "(cut)")
    }

    @Test func aConfigurationKeepsItsKeysAndCutsItsTexts() {
        let text = """
            # Anna Muster's device
            board = "/usr/share/studyd/boards/breadboard.toml"
            zone = "Europe/Berlin"
            body_location = "left wrist of Anna"
            [upload]
            recordings = "https://lab.example/files/secret-path"
            [report]
            url = "https://u:p@lab.example"
            token = "lab-token"
            [[measure]]
            channel = "accelerometer"
            rate = 100.0
            [mystudies.registration]
            account = "ada@example.org"
            """
        #expect(
            SupportConfiguration(text).text == """
                board = /usr/share/studyd/boards/breadboard.toml
                zone = Europe/Berlin
                body_location = (cut)
                upload.recordings = https://lab.example/(cut)
                report.url = (cut)
                report.token = (cut)
                measure[0].channel = accelerometer
                measure[0].rate = 100.0
                mystudies.registration.account = (cut)

                """)
        #expect(SupportConfiguration("a = = b").text == "# this file cannot be read\n")
    }
}
