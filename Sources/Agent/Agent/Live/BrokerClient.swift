// SPDX-License-Identifier: Apache-2.0
import Base
import CMosquitto
import Glibc
import SystemKit

/// A connection that could not be made, or is gone.
struct BrokerFault: ExplainedError, Sendable, Hashable {
    let explanation: Explanation
    /// The broker is there and does not take this device.
    var isRefusal = false
    /// The other side ended the connection, as a broker does where another device takes it over.
    var isClose = false
    /// The broker takes no retained messages, and no retained will.
    var retainNotSupported = false
}

/// One connection to a broker, by libmosquitto without a thread: `BrokerLink` waits for the socket. It calls
/// `connect`, then `loop` again and again, `publish` once `loop` gave `.accepted`, and `disconnect` at the end.
/// Belongs to the thread that made it.
final class BrokerClient {
    enum Event: Sendable, Hashable {
        case accepted
        case refused(BrokerReason)
        /// The broker's answer to the message of that number, whether it took or refused it.
        case acknowledged(Int, BrokerReason)
        /// The broker has said goodbye, and why.
        case disconnected(BrokerReason)
    }

    /// Seconds for which the broker keeps the session of a device that is gone: a will is held back
    /// no longer than that.
    private static let sessionExpiry: UInt32 = 86_400
    /// "At least once": the broker answers each message.
    private static let qualityOfService: CInt = 1
    private static let isReady = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.rawValue

    private let broker: BrokerAddress
    private let keepAlive: Duration
    private let handle: OpaquePointer
    private var events: [Event] = []
    private var diagnosis = TLSDiagnosis()
    /// Retained messages are published as such, and not for present readers alone. Known once the
    /// broker has accepted the connection.
    private(set) var retains: Bool

    /// `will` is what the broker publishes when the connection has been lost for `silentAfter` of the settings.
    /// `retains` is false for a broker that has refused retained messages.
    init(_ settings: LiveSettings, name: String, will: LiveMessage?, retains: Bool = true) throws {
        (broker, keepAlive) = (settings.broker, settings.keepAlive)
        self.retains = retains
        guard Self.isReady, let handle = mosquitto_new(name, false, nil) else {
            throw BrokerFault(explanation: Explanation(place: "mqtt", cause: "libmosquitto cannot be used"))
        }
        self.handle = handle
        mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
        try check(mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5))
        setCallbacks()
        try will.map { try setWill($0, after: settings.silentAfter) }
        if let user = settings.user {
            try check(mosquitto_username_pw_set(handle, user, settings.password.map(SecretFile.read)))
        }
        if broker.isEncrypted { try useTLS(settings) }
    }

    deinit { mosquitto_destroy(handle) }

    private func setCallbacks() {
        mosquitto_connect_v5_callback_set(handle) { _, owner, code, _, properties in
            BrokerClient.of(owner)?.connected(code, properties)
        }
        mosquitto_publish_v5_callback_set(handle) { _, owner, number, code, _ in
            BrokerClient.of(owner)?.events.append(.acknowledged(Int(number), BrokerReason(code: Int(code))))
        }
        mosquitto_disconnect_v5_callback_set(handle) { _, owner, code, _ in
            let reason = BrokerReason(code: Int(code))
            // Smaller numbers are the library's own, which its functions return as well.
            if !reason.isGood { BrokerClient.of(owner)?.events.append(.disconnected(reason)) }
        }
        mosquitto_log_callback_set(handle) { _, owner, level, text in
            guard level == MOSQ_LOG_ERR, let text else { return }
            BrokerClient.of(owner)?.logged(String(cString: text))
        }
    }

    /// Once the call that failed has returned, the library has removed what says why the certificate is refused.
    private func logged(_ line: String) {
        let verdict = mosquitto_ssl_get(handle).map { SSL_get_verify_result(OpaquePointer($0)) }
        diagnosis.add(line, verdict: verdict ?? 0)
    }

    private func connected(_ code: CInt, _ properties: OpaquePointer?) {
        // MQTT 5.0, 3.2.2.3.5: without this property the broker takes retained messages.
        var keeps: UInt8 = 1
        _ = mosquitto_property_read_byte(properties, CInt(MQTT_PROP_RETAIN_AVAILABLE.rawValue), &keeps, false)
        if keeps == 0 { retains = false }
        events.append(code == 0 ? .accepted : .refused(BrokerReason(code: Int(code))))
    }

    private static func of(_ owner: UnsafeMutableRawPointer?) -> BrokerClient? {
        owner.map { Unmanaged<BrokerClient>.fromOpaque($0).takeUnretainedValue() }
    }

    private func setWill(_ will: LiveMessage, after time: Duration) throws {
        var properties = try self.properties(of: will)
        mosquitto_property_add_int32(
            &properties, CInt(MQTT_PROP_WILL_DELAY_INTERVAL.rawValue), UInt32(time.components.seconds))
        let code = mosquitto_will_set_v5(
            handle, will.topic, CInt(will.payload.count), will.payload, Self.qualityOfService,
            will.isRetained && retains, properties)
        // The library owns them where it took them.
        if code != MOSQ_ERR_SUCCESS.rawValue { mosquitto_property_free_all(&properties) }
        try check(code)
    }

    /// Without `ca_file` the certificates that the system trusts count. By default the library would
    /// accept TLS 1.1.
    private func useTLS(_ settings: LiveSettings) throws {
        if settings.authority == nil { try check(mosquitto_int_option(handle, MOSQ_OPT_TLS_USE_OS_CERTS, 1)) }
        if settings.authority != nil || settings.certificate != nil {
            let folder = settings.authority == nil ? "/etc/ssl/certs" : nil
            try check(
                mosquitto_tls_set(
                    handle, settings.authority, folder, settings.certificate, settings.key.map(SecretFile.path), nil))
        }
        // 1 = SSL_VERIFY_PEER.
        try check(mosquitto_tls_opts_set(handle, 1, "tlsv1.2", nil))
    }

    // MARK: The connection

    /// Finds the host and connects; blocks while the network does not answer.
    func connect() throws {
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        mosquitto_property_add_int32(
            &properties, CInt(MQTT_PROP_SESSION_EXPIRY_INTERVAL.rawValue), Self.sessionExpiry)
        try check(
            mosquitto_connect_bind_v5(
                handle, broker.host, CInt(broker.port), CInt(keepAlive.components.seconds), nil, properties))
    }

    /// What poll(2) is to wait for; -1 once it is gone.
    var socket: CInt { mosquitto_socket(handle) }
    var wantsToWrite: Bool { mosquitto_want_write(handle) }

    /// Reads and writes what is due, keep-alives too: call it whenever the socket is ready, and every few
    /// seconds. Returns what came, and why the connection is gone, if it is. Handle the events first.
    func loop() -> (events: [Event], fault: BrokerFault?) {
        var code = MOSQ_ERR_SUCCESS.rawValue
        var count: Int
        // What TLS has decrypted already is no longer in the socket.
        repeat {
            count = events.count
            code = mosquitto_loop_read(handle, 1)
        } while code == MOSQ_ERR_SUCCESS.rawValue && events.count > count
        if code == MOSQ_ERR_SUCCESS.rawValue, wantsToWrite { code = mosquitto_loop_write(handle, 1) }
        if code == MOSQ_ERR_SUCCESS.rawValue { code = mosquitto_loop_misc(handle) }
        defer { events = [] }
        return (events, code == MOSQ_ERR_SUCCESS.rawValue ? nil : fault(code))
    }

    /// The number under which it will be answered; a reason where it cannot go.
    func publish(_ message: LiveMessage) throws -> Result<Int, Refusal> {
        var properties = try self.properties(of: message)
        defer { mosquitto_property_free_all(&properties) }
        var number: CInt = 0
        let code = mosquitto_publish_v5(
            handle, &number, message.topic, CInt(message.payload.count), message.payload, Self.qualityOfService,
            message.isRetained && retains, properties)
        if let refusal = Self.refusals[code] { return .failure(Refusal(reason: BrokerReason(code: refusal))) }
        try check(code)
        return .success(Int(number))
    }

    /// A limit that the broker announced when it accepted the connection forbids the message.
    struct Refusal: Error { let reason: BrokerReason }

    /// The library's codes, as the reason codes of MQTT 5 (section 2.4).
    private static let refusals = [
        MOSQ_ERR_OVERSIZE_PACKET.rawValue: 149, MOSQ_ERR_PAYLOAD_SIZE.rawValue: 149,
        MOSQ_ERR_RETAIN_NOT_SUPPORTED.rawValue: 154, MOSQ_ERR_QOS_NOT_SUPPORTED.rawValue: 155,
    ]

    /// In good order: the will is not published.
    func disconnect() { mosquitto_disconnect_v5(handle, 0, nil) }

    /// The caller frees them.
    private func properties(of message: LiveMessage) throws -> OpaquePointer? {
        var list: OpaquePointer?
        guard !message.payload.isEmpty else { return nil }
        try check(mosquitto_property_add_string(&list, CInt(MQTT_PROP_CONTENT_TYPE.rawValue), "application/json"))
        for property in message.properties {
            try check(
                mosquitto_property_add_string_pair(
                    &list, CInt(MQTT_PROP_USER_PROPERTY.rawValue), property.name, property.value))
        }
        return list
    }

    // MARK: Faults

    private func check(_ code: CInt) throws {
        let number = errno
        guard code == MOSQ_ERR_SUCCESS.rawValue else { throw fault(code, number) }
    }

    private func fault(_ code: CInt, _ number: CInt = errno) -> BrokerFault {
        let isHandshake = [MOSQ_ERR_TLS.rawValue, MOSQ_ERR_TLS_HANDSHAKE.rawValue].contains(code)
        let (cause, remedy) = diagnosis.explanation(isHandshake: isHandshake) ?? Self.explanation(code, number)
        return BrokerFault(
            explanation: Explanation(place: "mqtt", cause: "no connection to \(broker): \(cause)", remedy: remedy),
            isClose: [MOSQ_ERR_CONN_LOST.rawValue, MOSQ_ERR_ERRNO.rawValue].contains(code))
    }

    private static func explanation(_ code: CInt, _ number: CInt) -> (cause: String, remedy: String) {
        switch code {
        case MOSQ_ERR_EAI.rawValue, MOSQ_ERR_LOOKUP.rawValue:
            ("its name is not found", "check 'url' in [mqtt], and the network and its name server")
        // No call of the system failed: what came is no packet.
        case MOSQ_ERR_ERRNO.rawValue where number == 0:
            ("it does not speak MQTT, or ends the connection", "check the port in 'url' of [mqtt]")
        // With TLS 1.3 a broker refuses the device's certificate only after the handshake, and the library may lose
        // its words.
        case MOSQ_ERR_ERRNO.rawValue where number == EPROTO:
            (
                "it ends TLS, as where it wants a certificate from the device",
                "check 'certificate_file' and 'key_file' in [mqtt], and the broker's log"
            )
        case MOSQ_ERR_ERRNO.rawValue:
            (String(cString: strerror(number)), "check that the broker runs, its port, and firewalls in between")
        case MOSQ_ERR_TLS.rawValue, MOSQ_ERR_TLS_HANDSHAKE.rawValue:
            ("TLS fails", "check 'ca_file' in [mqtt], the broker's certificate and its name, and the device's clock")
        case MOSQ_ERR_INVAL.rawValue:
            ("these settings do not fit together, or a file is not there", "check the files named in [mqtt]")
        case MOSQ_ERR_KEEPALIVE.rawValue: ("it no longer answers", "check the network")
        // Since 2.0.12 the library takes mosquitto's 149 for that.
        case MOSQ_ERR_PROTOCOL.rawValue, MOSQ_ERR_MALFORMED_PACKET.rawValue:
            (
                "it answers against the rules of MQTT 5",
                "check port and TLS in 'url' of [mqtt]; with mosquitto, raise its message_size_limit"
            )
        default: (String(cString: mosquitto_strerror(code)), "check that a broker listens there")
        }
    }
}
