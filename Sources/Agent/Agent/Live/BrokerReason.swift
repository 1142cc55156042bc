// SPDX-License-Identifier: Apache-2.0
import Base
import CMosquitto

/// What a broker says by a reason code (MQTT 5.0, 2.4), and what to do about it; `BrokerLink` and `studyd check`
/// show it.
struct BrokerReason: Sendable, Hashable {
    let code: Int

    /// Not an error: accepted, even where there is no subscriber (16).
    var isGood: Bool { code < 128 }

    /// The broker takes no retained messages.
    static let retainNotSupported = BrokerReason(code: 154)

    /// False where retrying is enough: the broker is unavailable (136), busy (137) or shutting down (139), has
    /// missed a keep-alive (141), or limits the rate of connections (159).
    var needsOperator: Bool { ![136, 137, 139, 141, 159].contains(code) }

    private static let known: [Int: (cause: String, remedy: String)] = [
        130: ("does not speak MQTT 5 as it should", "use a broker such as mosquitto 2"),
        132: ("does not speak MQTT 5", "use a broker such as mosquitto 2"),
        133: ("does not take the device's name", "set 'device' in [mqtt] to a shorter name"),
        134: ("does not know this user and password", "check 'user' and 'password' in [mqtt]"),
        135: ("does not allow it", "allow the user to write below 'topic' and 'discovery' of [mqtt]"),
        136: ("is not available", "wait; studyd keeps trying"),
        137: ("is busy", "wait; studyd keeps trying"),
        138: ("has banned this device", "ask the person who runs the broker"),
        140: ("wants to be convinced in another way", "allow the broker a user and a password, or a certificate"),
        142: (
            "was reached by another device with the same name, which has taken the connection over",
            "give each device its own 'device' in [mqtt]; if its card was copied, enrol it again"
        ),
        144: ("does not take this topic", "set another 'topic' or 'discovery' in [mqtt]"),
        149: ("takes no message of this size", "raise the broker's limit (mosquitto: message_size_limit)"),
        151: ("has no room for more of this user", "raise the broker's quota"),
        154: ("keeps no retained messages", "allow them (mosquitto: retain_available)"),
        155: ("confirms no messages", "allow QoS 1 (mosquitto: max_qos)"),
        156: ("wants another server to be used", "set 'url' in [mqtt] to that one"),
        157: ("has moved", "set 'url' in [mqtt] to where it is now"),
        159: ("is connected to too often", "wait; studyd keeps trying"),
    ]

    func explanation(of broker: BrokerAddress, topic: String? = nil) -> Explanation {
        let words = String(cString: mosquitto_reason_string(CInt(code)))
        // To a user that it does not know mosquitto says 135, too; of a message it has a topic.
        let (cause, remedy) =
            Self.known[code == 135 && topic == nil ? 134 : code] ?? ("refuses: " + words, "look into the broker's log")
        return Explanation(
            place: "mqtt", cause: "\(broker) \(cause) (\(code)" + (topic.map { ", " + $0 } ?? "") + ")", remedy: remedy)
    }
}
