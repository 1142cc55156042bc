// SPDX-License-Identifier: Apache-2.0
import Study

/// The fixed texts of `RESULT.txt` (`TakeoverOutcome`), to be translated.
enum TakeoverPhrases {
    static let refused = CountedPhrase(
        one: "NOT taken over: {0} mistake. Correct it, put the card back and switch the device on again.",
        other: "NOT taken over: {0} mistakes. Correct them, put the card back and switch the device on again.")
    static let taken = Phrase("Taken over: the device takes part in the study.")
    static let waiting = Phrase("Taken over: the device takes part as soon as it reaches the study's server.")
    static let participant = Phrase("Participant: {0}")
    static let named = Phrase("named by the study")
    static let study = Phrase("Study: {0}")
    static let server = Phrase("Server: {0}")
    static let note = Phrase("Please note:")
    static let date = Phrase("Date (by the device's clock): {0}")
    static let what = Phrase("What:")
    static let place = Phrase("Where:")
    static let remedy = Phrase("What to do:")
    static let signal = Phrase("Signal:")
    static let number = Phrase("{0} long, {1} short (number {2})")
}

extension TakeoverMistake.Kind {
    /// What the number means, as in the table of docs/first-use.md.
    package var meaning: Phrase {
        switch self {
        case .noSetup: Phrase("there is no setup.toml")
        case .badSetup: Phrase("setup.toml has a mistake")
        case .noStudy: Phrase("no study is named, or its file is not there")
        case .badStudy: Phrase("the study's file has a mistake")
        case .badConsent: Phrase("the consent's file has a mistake, or is not there")
        case .badPackage: Phrase("a package cannot be installed")
        case .badToken: Phrase("the token has a wrong letter")
        case .otherParticipant: Phrase("the device belongs to another participant, or to another study")
        case .secondFolder: Phrase("a second folder for the participant of this device")
        case .refusedByStudy: Phrase("the study refused the enrolment")
        case .unknownBoard: Phrase("there is no such board")
        case .busOff: Phrase("a bus of the board is switched off")
        case .wrongChip: Phrase("the parts are not those of the board")
        case .boardCannotAsk: Phrase("the board cannot ask every question of the study")
        case .diskFull: Phrase("the card is full")
        case .noNetwork: Phrase("the study is on a server, and no network is set up")
        case .oldClock:
            Phrase("taken over, but the date is not known and no network is set up: prompts wait for it")
        case .badNetworkFile: Phrase("network-config has a mistake")
        case .slowBoots:
            Phrase("taken over, but user-data keeps cloud-init, which holds up boots without a network")
        case .ignoredWiFi: Phrase("taken over, but network-config is not used: its Wi-Fi is not set up")
        case .failed: Phrase("something that should not fail did: send RESULT.txt to the study team")
        }
    }

    /// What an assistant can do, whatever the details.
    var remedy: Phrase {
        switch self {
        case .noSetup: Phrase("Copy the whole folder onto the card once more.")
        case .badSetup: Phrase("Correct the line that the English text names.")
        case .noStudy: Phrase("Copy the study's file into the folder, and compare its name with setup.toml.")
        case .badStudy: Phrase("Send this file to the study team, who correct the study's file.")
        case .badConsent: Phrase("Write the consent's file once more, and compare its name with setup.toml.")
        case .badPackage: Phrase("Put every package that it needs into the folder, too.")
        case .badToken: Phrase("Compare every letter of the token with the study's list.")
        case .otherParticipant: Phrase("Use the folder of this device's participant, or hand the device over first.")
        case .secondFolder: Phrase("Use each folder for one device only.")
        case .refusedByStudy: Phrase("Send this file to the study team: the English text names the reason.")
        case .unknownBoard: Phrase("Compare the board's name with those in the English text.")
        case .busOff: Phrase("Change config.txt as the English text says, and switch the device off and on.")
        case .wrongChip: Phrase("Check the wiring, or choose the board that was built.")
        case .boardCannotAsk: Phrase("Choose a board that can.")
        case .diskFull: Phrase("Use a larger card, or delete what is not needed.")
        case .noNetwork: Phrase("Set up the Wi-Fi with Raspberry Pi Imager, or put the study's file into the folder.")
        case .oldClock: Phrase("Give the device a network or a battery-backed clock.")
        case .badNetworkFile: Phrase("Write spaces in place of the tab.")
        case .slowBoots: Phrase("Remove the line of user-data that the English text names, if it is not needed.")
        case .ignoredWiFi: Phrase("Set up the Wi-Fi on the device, or on a new card with Raspberry Pi Imager.")
        case .failed: Phrase("Send this file to the study team.")
        }
    }
}
